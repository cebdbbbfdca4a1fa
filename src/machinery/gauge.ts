/** A gauge of Prometheus: its help text and the names of its labels. */
export interface Gauge {
  readonly help: string
  readonly labels: readonly string[]
}

/** Gauges by name. */
export type Gauges = Readonly<Record<string, Gauge>>

/** One series of a gauge. `value` is a decimal number in digits: exact for amounts, rounded once for percentages. */
export interface GaugeSample<Name extends string = string> {
  readonly name: Name
  readonly labels: Readonly<Record<string, string>>
  readonly value: string
}
