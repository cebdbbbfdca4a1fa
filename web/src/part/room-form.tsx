import { useSignal } from '@preact/signals'
import { roomRequest, type WantedRoom } from '../data/room-request.ts'
import { roomMistakes } from '../format/room-mistakes.ts'
import { CreateRoom } from './create-room.tsx'

const RESOURCES = ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory', 'requests.storage', 'pods']
const NOTHING: Omit<WantedRoom, 'namespace'> = { kind: 'claim', name: '', pool: '', resource: '', amount: '' }
const KINDS = [
  ['claim', 'Claim of a pool'],
  ['increase', 'Increase of the quota'],
] as const

/** Asks for more: a claim of a pool, or an increase of the quota. */
export function RoomForm({ namespace }: { readonly namespace: string }) {
  const wanted = useSignal<WantedRoom>({ ...NOTHING, namespace })
  /** Mistakes are told from the first try on, and not while somebody still types. */
  const isTried = useSignal(false)
  const change = (changes: Partial<WantedRoom>): void => void (wanted.value = { ...wanted.value, ...changes })
  const { kind, name, pool, resource, amount } = wanted.value
  const found = roomMistakes(wanted.value)
  const isRight = Object.keys(found).length === 0
  const told = isTried.value ? found : {}
  return (
    <CreateRoom request={isRight ? roomRequest(wanted.value) : undefined} onTry={() => (isTried.value = true)}>
      <fieldset>
        <legend>What to create</legend>
        {KINDS.map(([one, title]) => (
          <label key={one} class="check">
            <input type="radio" name="room-kind" checked={kind === one} onChange={() => change({ kind: one })} />
            {title}
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <Field
          id="room-name"
          label="Name"
          value={name}
          mistake={told.name}
          onChange={(value) => change({ name: value })}
        />
        <Field
          id="room-resource"
          label="Resource"
          value={resource}
          mistake={told.resource}
          options={RESOURCES}
          onChange={(value) => change({ resource: value })}
        />
        <Field
          id="room-amount"
          label="Amount, such as 2, 500m or 4Gi"
          value={amount}
          mistake={told.amount}
          onChange={(value) => change({ amount: value })}
        />
        {kind === 'claim' ? (
          <Field
            id="room-pool"
            label="Pool (optional)"
            value={pool}
            mistake={told.pool}
            onChange={(value) => change({ pool: value })}
          />
        ) : null}
      </div>
    </CreateRoom>
  )
}

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly mistake: string | undefined
  readonly options?: readonly string[]
  readonly onChange: (value: string) => void
}

function Field({ id, label, value, mistake, options, onChange }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={value}
        list={options === undefined ? undefined : `${id}-options`}
        aria-invalid={mistake !== undefined}
        aria-describedby={mistake === undefined ? undefined : `${id}-mistake`}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      {mistake === undefined ? null : (
        <p class="problem" id={`${id}-mistake`} role="alert">
          {mistake}
        </p>
      )}
      {options === undefined ? null : (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </div>
  )
}
