/** The family of suffixes in which a quantity is printed (upstream `resource.Format`). */
export type Format = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** A quantity without its methods: `units` × 10^-`places`, where `places` is 0, 3, 6 or 9. */
export interface Amount {
  readonly units: bigint
  readonly places: number
  readonly format: Format
  /** The spelling that upstream prints back until arithmetic touches the value; undefined where it prints the canonical form. */
  readonly text: string | undefined
}
