#pragma once
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* Wrappers of curses' macros and globals. All of them belong to the one thread or queue that called ccurses_start(),
 * because curses is not thread-safe. */

/* The columns that the C library gives one character; -1 if it does not know it. Declared here because wchar.h hides it
 * behind a feature macro. */
extern int wcwidth(wchar_t character);

/* Starts curses on the terminal of standard input and output. Returns NULL if curses does not know the terminal, where
 * initscr() would end the program. The screen lives until the program ends. */
static inline SCREEN *_Nullable ccurses_start(void) {
    return newterm(NULL, stdout, stdin);
}

static inline WINDOW *_Nonnull ccurses_screen(void) {
    return stdscr;
}

/* The number of colours, after start_color(). */
static inline int ccurses_colors(void) {
    return COLORS;
}

static inline attr_t ccurses_bold(void) {
    return A_BOLD;
}
static inline attr_t ccurses_dim(void) {
    return A_DIM;
}
static inline attr_t ccurses_italic(void) {
    return A_ITALIC;
}
static inline attr_t ccurses_underline(void) {
    return A_UNDERLINE;
}
static inline attr_t ccurses_reverse(void) {
    return A_REVERSE;
}

/* Makes one cell of `count` characters, of which the first decides its width. At most CCHARW_MAX characters are taken.
 *
 * setcchar() takes one spacing character and its marks. An emoji of several joined characters is several spacing ones
 * that the terminal draws as one. curses writes out whatever a cell holds, so this function sets the cell's characters
 * directly. Use it only for characters that the terminal was seen to join. */
static inline cchar_t ccurses_cell(const wchar_t *_Nonnull characters, int count, attr_t attributes, int pair) {
    cchar_t cell;
    wchar_t first[2] = {characters[0], 0};
    setcchar(&cell, first, attributes, (short)pair, &pair);
    for (int i = 1; i < count && i < CCHARW_MAX; i++)
        cell.chars[i] = characters[i];
    return cell;
}

static inline int ccurses_cell_limit(void) {
    return CCHARW_MAX;
}

/* Puts `count` cells at a place of the screen. A wide character is one cell and takes two columns. */
static inline void ccurses_put(int row, int column, const cchar_t *_Nonnull cells, int count) {
    mvadd_wchnstr(row, column, cells, count);
}

/* Makes curses send all of a row with the next refresh, also the cells that have not changed. */
static inline void ccurses_redraw_row(int row) {
    wredrawln(stdscr, row, 1);
}

/* Makes presses of the first button and turns of the wheel arrive as KEY_MOUSE. */
static inline void ccurses_watch_mouse(void) {
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
}

/* Reads the event of a KEY_MOUSE. Returns the number of the button, of which 4 and 5 are the wheel up and down, and its
 * place; 0 for none. */
static inline int ccurses_read_mouse(int *_Nonnull row, int *_Nonnull column) {
    MEVENT event;
    if (getmouse(&event) != OK)
        return 0;
    *row = event.y;
    *column = event.x;
    if (event.bstate & BUTTON1_PRESSED)
        return 1;
    if (event.bstate & BUTTON4_PRESSED)
        return 4;
    return event.bstate & BUTTON5_PRESSED ? 5 : 0;
}

/* Reads the next key that has arrived: OK for a character, KEY_CODE_YES for a key, ERR for none. */
static inline int ccurses_read(wint_t *_Nonnull key) {
    return wget_wch(stdscr, key);
}
