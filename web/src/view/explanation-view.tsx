import type {
  BudgetView,
  CostSource,
  Explanation,
  Holder,
  Remedy,
  UnseenUse,
  Wanted,
} from '../../../src/insight/explain/explanation.ts'
import { remedySections } from '../../../src/insight/explain/remedy-sections.ts'
import { sourceName } from '../../../src/insight/explain/source-name.ts'
import { wantedState } from '../../../src/insight/explain/wanted-state.ts'
import { requestOfManifest } from '../data/room-request.ts'
import { NOT_FOUND, useAnswer } from '../data/use-answer.ts'
import { filledOf } from '../format/use-of.ts'
import { readableAmount } from '../format/readable-amount.ts'
import { Answered } from '../part/answered.tsx'
import { CreateRoom } from '../part/create-room.tsx'
import { ToNamespace } from '../part/links.tsx'
import { UseBar } from '../part/use-bar.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

interface ExplanationViewProps {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

const VERDICTS: Readonly<Record<Explanation['verdict'], string>> = {
  blocked: 'Blocked',
  clear: 'Not blocked',
  unknown: 'Unknown',
}

/** Why an object does not come about: what `allot explain` says of it. */
export function ExplanationView({ namespace, kind, name }: ExplanationViewProps) {
  const query = new URLSearchParams({ namespace, kind, name })
  const asked = useAnswer<Explanation>(`/api/v1/explain?${query.toString()}`)
  return (
    <>
      <ViewHeading title={`${kind} ${name}`} />
      <p>
        Namespace <ToNamespace namespace={namespace} />
      </p>
      <Answered asked={asked}>{(explanation) => <Sections explanation={explanation} />}</Answered>
      {asked.code === NOT_FOUND ? (
        <p>It was deleted, or its name is not right. Its namespace shows what is there.</p>
      ) : null}
    </>
  )
}

function Sections({ explanation }: { readonly explanation: Explanation }) {
  const {
    object,
    verdict,
    summary,
    chain,
    wanted,
    budgets,
    causes,
    warnings,
    holders,
    unseenHolders = [],
    remedies,
    notSeen,
  } = explanation
  const counted = budgets.filter(({ counts }) => counts)
  return (
    <article class="explanation" data-verdict={verdict}>
      <p class={`verdict ${verdict}`}>
        <strong>{VERDICTS[verdict]}</strong> <span class="summary">{summary}</span>
      </p>
      <Texts title="Why" texts={causes.map(({ text }) => text)} className="causes" />
      {chain.length < 2 ? null : (
        <section>
          <h2>Made by</h2>
          <ol class="chain">
            {chain.map((one) => (
              <li key={`${one.kind}/${one.name}`}>
                {one.kind} {one.name}
              </li>
            ))}
          </ol>
        </section>
      )}
      {remedySections(remedies, causes.length).map(([title, some]) =>
        some.length === 0 ? null : (
          <section key={title}>
            <h2>{title}</h2>
            <ul class="cards remedies">
              {some.map((one) => (
                <RemedyCard key={`${one.type}/${one.text}`} remedy={one} />
              ))}
            </ul>
          </section>
        ),
      )}
      <Needs wanted={wanted.filter((one) => one.wanted > 0)} />
      {counted.length === 0 ? null : (
        <section>
          <h2>Budgets</h2>
          {counted.map((one) => (
            <Budget key={`${one.kind}/${one.name}`} budget={one} />
          ))}
        </section>
      )}
      <Holders holders={holders} unseen={unseenHolders} namespace={object.namespace} />
      <Texts title="Beware" texts={warnings.map(({ text }) => text)} className="warnings" />
      <Texts title="Not seen" texts={notSeen} className="not-seen" />
    </article>
  )
}

function Texts({
  title,
  texts,
  className,
}: {
  readonly title: string
  readonly texts: readonly string[]
  readonly className: string
}) {
  if (texts.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul class={className}>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  )
}

function RemedyCard({ remedy: { text, command, manifest, allowed } }: { readonly remedy: Remedy }) {
  const request = manifest === undefined ? undefined : requestOfManifest(manifest)
  return (
    <li>
      <p class="text">{text}</p>
      {allowed === false ? <p class="quiet">You may not do this yourself.</p> : null}
      {command === undefined ? null : (
        <pre tabIndex={0} aria-label="Command">
          {command}
        </pre>
      )}
      {request !== undefined && allowed !== false ? <CreateRoom request={request} /> : null}
      {manifest !== undefined && (request === undefined || allowed === false) ? (
        <pre tabIndex={0} aria-label="Manifest">
          {JSON.stringify(manifest, undefined, 2)}
        </pre>
      ) : null}
    </li>
  )
}

const ORIGINS: Readonly<Record<CostSource['from'], string>> = {
  spec: '',
  limits: ' (its limit)',
  LimitRange: ' (LimitRange)',
  injected: ' (injected)',
  overhead: ' (overhead of its RuntimeClass)',
  pod: '',
}

function Needs({ wanted }: { readonly wanted: readonly Wanted[] }) {
  if (wanted.length === 0) return null
  return (
    <section>
      <h2>Needs</h2>
      {wanted.map(({ kind, wanted: count, existing, costs }) => (
        <div key={kind}>
          <p>
            {kind}s: {existing} of {count} {wantedState(kind)}
            {costs.length === 0 ? '' : '; each costs'}
          </p>
          <ul>
            {costs.map(({ resource, amount, sources, unknown = [] }) => (
              <li key={resource}>
                <span title={`exactly ${amount}`}>
                  {resource} {unknown.length === 0 ? '' : 'at least '}
                  {readableAmount(amount, resource)}
                </span>
                {unknown.length === 0 &&
                sources.every(({ container, from }) => container === '' && from === 'spec') ? null : (
                  <span class="quiet">
                    {' = '}
                    {[
                      ...sources.map(
                        (one) =>
                          `${sourceName(one)} ${readableAmount(one.amount, resource, amount)}${ORIGINS[one.from]}`,
                      ),
                      ...unknown.map((name) => `${name === '' ? 'others' : name} (injected, not known)`),
                    ].join(' + ')}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

function Budget({ budget: { kind, name, from, fits, limits } }: { readonly budget: BudgetView }) {
  const asked = limits.filter(({ requested }) => requested !== undefined)
  return (
    <div class="budget">
      <h3>
        <span class="kind">{kind}</span> {name}
        {from === undefined ? '' : ` (of ${from.kind} ${from.name})`}
      </h3>
      {fits === undefined ? null : <p>{fits} more fit</p>}
      <ul class="lines">
        {(asked.length > 0 ? asked : limits).map((limit) => (
          <li key={limit.resource}>
            <div class="line wanted">
              <span class="cell" title={limit.resource}>
                {limit.resource}
              </span>
              <UseBar row={limit} filled={filledOf(limit)} />
              <span class="cell">
                {limit.requested === undefined ? (
                  ''
                ) : (
                  <span title={`exactly ${limit.requested}`}>
                    {limit.requestedIsLeast === true ? 'at least ' : ''}
                    {readableAmount(limit.requested, limit.resource, limit.hard)} requested
                  </span>
                )}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface HoldersProps {
  readonly holders: readonly Holder[]
  readonly unseen: readonly UnseenUse[]
  /** Holders of other namespaces are named with theirs. */
  readonly namespace: string
}

/** The budgets of most clusters are ResourceQuotas. */
const budgetTitle = (kind: string, name: string): string => (kind === 'ResourceQuota' ? name : `${kind} ${name}`)

function Holders({ holders, unseen, namespace }: HoldersProps) {
  if (holders.length + unseen.length === 0) return null
  return (
    <section>
      <h2>Holders</h2>
      <ul class="holders">
        {holders.map(({ owner, objects, budget, budgetKind, resource, amount, injected }) => (
          <li key={`${budgetKind}/${budget}/${resource}/${owner.kind}/${owner.namespace}/${owner.name}`}>
            <span title={`exactly ${amount}`}>
              {budgetTitle(budgetKind, budget)}, {resource}: {readableAmount(amount, resource)}
            </span>{' '}
            by {owner.kind} {['', namespace].includes(owner.namespace) ? '' : `${owner.namespace}/`}
            {owner.name}
            {objects === 1 ? '' : ` (${objects} objects)`}
            {injected === undefined ? '' : `, of which ${readableAmount(injected, resource, amount)} injected`}
          </li>
        ))}
        {unseen.map(({ budget, budgetKind, resource, amount }) => (
          <li key={`${budgetKind}/${budget}/${resource}`}>
            <span title={`exactly ${amount}`}>
              {budgetTitle(budgetKind, budget)}, {resource}: {readableAmount(amount, resource)}
            </span>{' '}
            by objects that are not seen
          </li>
        ))}
      </ul>
    </section>
  )
}
