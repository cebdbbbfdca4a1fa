import type { ClaimRow } from '../../../src/insight/top/top.ts'
import type { NotSeen } from '../data/answer.ts'
import { CLAIMS } from '../data/resource-names.ts'
import { nothingText } from '../format/nothing-text.ts'
import { readableAmount } from '../format/readable-amount.ts'
import { ToExplanation } from './links.tsx'

const KIND = 'ResourcePoolClaim'

/** Claims with what has become of them. */
export function ClaimList({
  claims,
  notSeen,
}: {
  readonly claims: readonly ClaimRow[]
  readonly notSeen: readonly NotSeen[]
}) {
  if (claims.length === 0) return <p class="quiet">{nothingText('No claim was found.', notSeen, CLAIMS)}</p>
  return (
    <ul class="cards">
      {claims.map(({ namespace, name, pool, state, bound, amounts, position, reason }) => (
        <li key={name}>
          <p class="title">
            <ToExplanation object={{ namespace, kind: KIND, name }} />
          </p>
          <p>
            {[
              state,
              ...(position === undefined ? [] : [`place ${position}`]),
              ...(pool === '' ? [] : [`pool ${pool}`]),
              ...(bound ? ['in use'] : []),
            ].join(', ')}
          </p>
          <Amounts amounts={amounts} />
          {reason === '' ? null : <p>{reason}</p>}
        </li>
      ))}
    </ul>
  )
}

/** Amounts by resource name, the exact ones in their titles. */
export function Amounts({ amounts }: { readonly amounts: Readonly<Record<string, string>> }) {
  return (
    <p class="quiet">
      {Object.entries(amounts).map(([resource, amount], index) => (
        <span key={resource} title={`exactly ${amount}`}>
          {index === 0 ? '' : ', '}
          {resource} {readableAmount(amount, resource)}
        </span>
      ))}
    </p>
  )
}
