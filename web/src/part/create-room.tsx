import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { RoomRequest } from '../data/room-request.ts'
import { AnswerError, type CreatedObject } from '../data/server.ts'
import { useSession, useViewer } from '../data/session.ts'
import { ToExplanation } from './links.tsx'

interface Outcome {
  readonly is: 'tried' | 'created' | 'refused'
  readonly text: string
  /** Those of the API server. */
  readonly warnings: readonly string[]
  /** Absent where it was refused. */
  readonly object?: CreatedObject
}

const TEXTS = { tried: 'The API server would accept it.', created: 'It was created.' } as const

interface CreateRoomProps {
  /** Undefined while it is not known what to create; whoever submits the form is told so by its fields. */
  readonly request: RoomRequest | undefined
  /** The form is submitted. */
  readonly onTry?: () => void
  /** The fields of the form. */
  readonly children?: ComponentChildren
}

/** Creates a claim or an increase as the viewer, once the API server has said that it would accept it. */
export function CreateRoom({ request, onTry, children }: CreateRoomProps) {
  const session = useSession()
  const { server } = useViewer()
  const text = JSON.stringify(request?.manifest, undefined, 2)
  const outcome = useSignal<Outcome | undefined>(undefined)
  /** What the outcome is about: another manifest has to be tried anew. */
  const about = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const known = request !== undefined && about.value === text ? outcome.value : undefined
  const send = async (is: 'tried' | 'created'): Promise<void> => {
    if (isBusy.value || request === undefined) return
    const { path, manifest } = request
    isBusy.value = true
    about.value = text
    outcome.value = undefined
    try {
      const created = await server.create(is === 'tried' ? `${path}?dryRun=All` : path, manifest)
      outcome.value = { is, text: TEXTS[is], ...created }
      if (is === 'created') session.live.changed()
    } catch (error) {
      session.failed(error, server)
      const text = error instanceof Error ? error.message : String(error)
      outcome.value = { is: 'refused', text, warnings: error instanceof AnswerError ? error.warnings : [] }
    }
    isBusy.value = false
  }
  return (
    <form
      class="create"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onTry?.()
        void send('tried')
      }}
    >
      {children}
      {request === undefined ? null : (
        <details>
          <summary>Manifest</summary>
          <pre tabIndex={0} aria-label="Manifest">
            {text}
          </pre>
        </details>
      )}
      <div class="buttons">
        <button type="submit" aria-disabled={isBusy.value}>
          Try it (dry run)
        </button>
        <button
          type="button"
          class="main"
          aria-disabled={known?.is !== 'tried' || isBusy.value}
          onClick={() => void (known?.is === 'tried' && send('created'))}
        >
          Create
        </button>
      </div>
      <div role="status">
        {known === undefined ? null : (
          <>
            <p class={known.is === 'refused' ? 'problem' : 'outcome'}>{known.text}</p>
            {known.warnings.map((warning) => (
              <p key={warning}>Warning: {warning}</p>
            ))}
          </>
        )}
      </div>
      {known?.is === 'created' && known.object !== undefined ? (
        <p>
          <ToExplanation object={{ kind: known.object.kind, ...known.object.metadata }}>
            See what becomes of it
          </ToExplanation>
        </p>
      ) : null}
    </form>
  )
}
