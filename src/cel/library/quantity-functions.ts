import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import type { Library } from './declaration.ts'
import { free, int, member, quantity, text } from './declaration.ts'
import { BOOL, DOUBLE, INT, QUANTITY } from '../types/cel-type.ts'
import { Failure, checkedInt } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'

function read(value: string): Quantity | Failure {
  try {
    return Quantity.parse(value)
  } catch (error) {
    if (error instanceof QuantityError) return new Failure(error.message)
    throw error
  }
}

/** The whole units, or `undefined` for an amount that has a fraction or is beyond an int64. */
function wholeUnits(value: Quantity): bigint | undefined {
  const units = value.value()
  if (!Quantity.of(units).equals(value)) return undefined
  return checkedInt(units) instanceof Failure ? undefined : units
}

const ofInt = (value: bigint): Quantity => Quantity.of(value, 'DecimalExponent')

const toInteger = (value: Quantity): Result => wholeUnits(value) ?? new Failure('cannot convert value to integer')

/** `quantity`, `isQuantity` and arithmetic with quantities. */
export const quantities: Library = [
  ['quantity', [free('string_to_quantity', [text], QUANTITY, ([value]) => read(value))]],
  ['isQuantity', [free('is_quantity_string', [text], BOOL, ([value]) => !(read(value) instanceof Failure))]],
  ['sign', [free('quantity_sign', [quantity], INT, ([value]) => BigInt(value.sign()))]],
  [
    'isGreaterThan',
    [member('quantity_is_greater_than', [quantity, quantity], BOOL, ([left, right]) => left.cmp(right) > 0)],
  ],
  ['isLessThan', [member('quantity_is_less_than', [quantity, quantity], BOOL, ([left, right]) => left.cmp(right) < 0)]],
  ['compareTo', [member('quantity_compare_to', [quantity, quantity], INT, ([left, right]) => BigInt(left.cmp(right)))]],
  ['asApproximateFloat', [member('quantity_get_float', [quantity], DOUBLE, ([value]) => value.toApproximateNumber())]],
  ['asInteger', [member('quantity_get_int', [quantity], INT, ([value]) => toInteger(value))]],
  ['isInteger', [member('quantity_is_integer', [quantity], BOOL, ([value]) => wholeUnits(value) !== undefined)]],
  [
    'add',
    [
      member('quantity_add', [quantity, quantity], QUANTITY, ([left, right]) => left.add(right)),
      member('quantity_add_int', [quantity, int], QUANTITY, ([left, right]) => left.add(ofInt(right))),
    ],
  ],
  [
    'sub',
    [
      member('quantity_sub', [quantity, quantity], QUANTITY, ([left, right]) => left.sub(right)),
      member('quantity_sub_int', [quantity, int], QUANTITY, ([left, right]) => left.sub(ofInt(right))),
    ],
  ],
]
