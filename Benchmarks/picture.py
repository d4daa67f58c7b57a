"""Curves as SVG."""

import math


class Picture:
    """Curves over a logarithmic x axis of some powers of ten. `curves`: each a name and (x, y) points."""

    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 340, 56, 44, 40, 100
    COLOURS = "#0b6bcb", "#c2410c", "#15803d"

    def __init__(self, title, curves, powers):
        self.title, self.curves, self.powers = title, curves, powers
        self.highest = 5 * math.ceil(max(y for _, points in curves for _, y in points) / 5)
        self.parts = []

    def x(self, value):
        first, last = self.powers[0], self.powers[-1]
        return self.LEFT + (math.log10(value) - first) / (last - first) * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        return self.TOP + (1 - value / self.highest) * (self.HEIGHT - self.TOP - self.BOTTOM)

    def text(self, x, y, words, anchor="middle", fill="#444"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{words}</text>')

    def line(self, points, colour, width):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')

    def axes(self):
        self.text(self.LEFT - 40, 20, self.title, "start", "#111")
        for value in range(0, self.highest + 1, max(1, self.highest // 5)):
            self.line([(self.LEFT, self.y(value)), (self.WIDTH - self.RIGHT, self.y(value))], "#ddd", 1)
            self.text(self.LEFT - 8, self.y(value) + 4, value, "end")
        for power in self.powers:
            self.text(self.x(10**power), self.y(0) + 18, f"{10**power:,}")

    def svg(self):
        self.axes()
        for index, (name, points) in enumerate(self.curves):
            colour = self.COLOURS[index]
            self.line([(self.x(x), self.y(y)) for x, y in points], colour, 2)
            for x, y in points:
                self.parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3" fill="{colour}"/>')
            below = self.y(0) + 42 + 18 * index
            self.line([(self.LEFT, below - 4), (self.LEFT + 24, below - 4)], colour, 2)
            self.text(self.LEFT + 32, below, name, "start", "#111")
        return "\n".join([
            (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" '
             'font-family="system-ui, sans-serif" font-size="12">'),
            '<rect width="100%" height="100%" fill="#fff"/>', *self.parts, "</svg>", ""])
