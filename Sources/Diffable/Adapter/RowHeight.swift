/// The height of a row.
///
/// - Units: `fixed` is in the unit of the view: points, pixels or lines.
public enum RowHeight: Equatable, Sendable {
    /// The view measures the cell.
    case automatic
    /// This height, whatever the cell would need.
    case fixed(Double)
}
