import { ifReadable, Quantity } from '../../../../quantity/quantity.ts'
import type { ClaimWaiting } from '../../api/claim.ts'

/** What a claim wants of one resource, and what stands against it. */
export interface WaitingShortage {
  readonly resource: string
  readonly requested: Quantity
  /** `free`: so much is free. `in the pool`: so much the whole pool has. `before it`: so much older claims wait for. */
  readonly of: 'free' | 'in the pool' | 'before it'
  readonly amount: Quantity
}

const FORMS = [
  { of: 'free', ends: / of (\S{1,100}) free$/ },
  { of: 'in the pool', ends: / of (\S{1,100}) in the pool$/ },
  { of: 'before it', ends: / behind older claims of (\S{1,100})$/ },
] as const

/** Reads what `waitingInLine` and `waitingWithoutPool` have written into `status.waiting.for`; nothing of a text that is another. */
export function readShortages({ for: text }: Pick<ClaimWaiting, 'for'>): readonly WaitingShortage[] {
  const [amounts = ''] = text.split('; ')
  return amounts.split(', ').flatMap((part): readonly WaitingShortage[] => {
    for (const { of, ends } of FORMS) {
      const [tail, amount = ''] = ends.exec(part) ?? []
      if (tail === undefined) continue
      const [resource = '', requested = ''] = part.slice(0, -tail.length).split(': ')
      const [wanted, other] = [read(requested), read(amount === 'none' ? '0' : amount)]
      return wanted === undefined || other === undefined ? [] : [{ resource, requested: wanted, of, amount: other }]
    }
    return []
  })
}

const read = (text: string): Quantity | undefined => ifReadable(() => Quantity.parse(text), undefined)
