/// How tall a row is to be.
///
/// - Units: `fixed` counts in whatever the view counts in: points, pixels, lines.
public enum RowHeight: Equatable, Sendable {
    /// The view measures the cell.
    case automatic
    /// So tall, whatever the cell would have.
    case fixed(Double)
}
