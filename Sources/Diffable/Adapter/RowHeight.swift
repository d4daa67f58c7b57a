/// How tall a row is to be.
///
/// - Units: `fixed` counts in whatever the view counts in: points, pixels, lines.
public enum RowHeight: Equatable, Sendable {
    /// The view measures the cell.
    case automatic
    case fixed(Double)
}
