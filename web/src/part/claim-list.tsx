import type { ClaimRow } from '../../../src/insight/top/top.ts'
import { readableAmount } from '../format/readable-amount.ts'
import { readableShortages } from '../format/readable-shortages.ts'
import { CLAIM_KIND, ToExplanation } from './links.tsx'

const STATES: Readonly<Record<ClaimRow['state'], string>> = {
  granted: 'granted',
  waiting: 'waits',
  ended: 'ended',
  undecided: 'not decided yet',
}

/** Claims with what has become of them. */
export function ClaimList({ claims }: { readonly claims: readonly ClaimRow[] }) {
  return (
    <ul class="cards">
      {claims.map(({ namespace, name, pool, state, bound, amounts, reason }) => (
        <li key={name}>
          <p class="title">
            <ToExplanation object={{ namespace, kind: CLAIM_KIND, name }} />
          </p>
          <p>
            {[
              // Why it waits says that it does.
              ...(state === 'waiting' && reason !== '' ? [] : [STATES[state]]),
              ...(bound ? ['in use'] : []),
              ...(pool === '' ? [] : [`pool ${pool}`]),
            ].join(', ')}
          </p>
          {reason === '' ? null : <p>{readableShortages(reason)}</p>}
          <Amounts amounts={amounts} />
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
