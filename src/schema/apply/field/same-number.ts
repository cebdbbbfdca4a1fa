import { type NumberEquality, numberText } from '../../../machinery/json-value.ts'

/** Numbers of one value are the same, whatever their spelling; integers are compared exactly. */
export const isSameNumber: NumberEquality = (a, b) => {
  const [left = '', right = ''] = [numberText(a), numberText(b)]
  if (/^-?\d+$/.test(left) && /^-?\d+$/.test(right)) return BigInt(left) === BigInt(right)
  return Number(left) === Number(right)
}
