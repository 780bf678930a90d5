/// The way in which the change of a fund is found (Spec/product/portfolio.md, 4).
public enum ValuationMethod: String, CaseIterable, Sendable {
    /// k · Σ wᵢ·rᵢ over the securities of the last report.
    case top10
    /// Σ wᵢ·rᵢ · stock position / Σ wᵢ: the rest moves as what is known does.
    case scaled
    /// k · r of the benchmark.
    case index
    /// As a source said.
    case given
}
