/** The order of texts by code units, as Go compares the ASCII of names. No locale changes it. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
