/** The functions that make up CEL expressions which sum thousandths, since CEL adds up whole numbers only. */

/** The text as a literal of CEL. */
export const literal = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/**
 * Returns the thousandths of an amount that an API server has stored. The API server rounds up to thousandths. It
 * writes a fraction as `1500m`, or as `1500e-3` if it was given with an exponent.
 */
export const milli = (of: string): string =>
  `(quantity(${of}).isInteger()?quantity(${of}).asInteger()*1000:int(${of}.split('m')[0].split('e')[0]))`

/** The largest of a list of texts of amounts, in thousandths; 0 for none. */
export const largest = (list: string): string => `([0]+${list}.map(v,${milli('v')})).max()`

/** The amount of so many thousandths, which prints as bytes do or as numbers. */
export function amountExpression(thousandths: string, isBinary: boolean): string {
  const amount = `quantity(string(${thousandths})+'m')`
  // The first amount of a sum decides how the sum prints.
  return isBinary ? `quantity('1Ki').add(${amount}).sub(quantity('1Ki'))` : amount
}
