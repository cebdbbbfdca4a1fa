import { useSignal } from '@preact/signals'
import { roomRequest, type WantedRoom } from '../data/room-request.ts'
import { CreateRoom } from './create-room.tsx'

const RESOURCES = ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory', 'requests.storage', 'pods']
const NOTHING: Omit<WantedRoom, 'namespace'> = { kind: 'claim', name: '', pool: '', resource: '', amount: '' }

/** Asks for more: a claim of a pool, or an increase of the quota. */
export function RoomForm({ namespace }: { readonly namespace: string }) {
  const wanted = useSignal<WantedRoom>({ ...NOTHING, namespace })
  const change = (changes: Partial<WantedRoom>): void => void (wanted.value = { ...wanted.value, ...changes })
  const { kind, name, pool, resource, amount } = wanted.value
  const isComplete = name !== '' && resource !== '' && amount !== ''
  return (
    <div class="room">
      <fieldset>
        <legend>What to create</legend>
        <label class="check">
          <input type="radio" name="room-kind" checked={kind === 'claim'} onChange={() => change({ kind: 'claim' })} />
          Claim of a pool
        </label>
        <label class="check">
          <input
            type="radio"
            name="room-kind"
            checked={kind === 'increase'}
            onChange={() => change({ kind: 'increase' })}
          />
          Increase of the quota
        </label>
      </fieldset>
      <div class="fields">
        <Field label="Name" value={name} onChange={(value) => change({ name: value })} />
        <Field
          label="Resource"
          value={resource}
          options={RESOURCES}
          onChange={(value) => change({ resource: value })}
        />
        <Field label="Amount, such as 2 or 4Gi" value={amount} onChange={(value) => change({ amount: value })} />
        {kind === 'claim' ? (
          <Field label="Pool (optional)" value={pool} onChange={(value) => change({ pool: value })} />
        ) : null}
      </div>
      {isComplete ? (
        <CreateRoom request={roomRequest(wanted.value)} />
      ) : (
        <p class="quiet">Name, resource and amount are needed.</p>
      )}
    </div>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly options?: readonly string[]
  readonly onChange: (value: string) => void
}

function Field({ label, value, options, onChange }: FieldProps) {
  const id = `field-${label.replaceAll(/[^A-Za-z]/g, '')}`
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
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
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
