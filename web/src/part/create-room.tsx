import { useSignal } from '@preact/signals'
import type { RoomRequest } from '../data/room-request.ts'
import { useSession, useViewer } from '../data/session.ts'

type Outcome = { readonly is: 'tried' | 'created' } | { readonly is: 'refused'; readonly text: string }

/** Creates a claim or an increase as the viewer, once the API server has said that it would accept it. */
export function CreateRoom({ request: { path, manifest } }: { readonly request: RoomRequest }) {
  const session = useSession()
  const { server } = useViewer()
  const text = JSON.stringify(manifest, undefined, 2)
  const outcome = useSignal<Outcome | undefined>(undefined)
  /** What the outcome is about: another manifest has to be tried anew. */
  const about = useSignal('')
  const isBusy = useSignal(false)
  const known = about.value === text ? outcome.value : undefined
  const send = async (is: 'tried' | 'created'): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    about.value = text
    try {
      await server.create(is === 'tried' ? `${path}?dryRun=All` : path, manifest)
      outcome.value = { is }
      if (is === 'created') session.live.changed()
    } catch (error) {
      session.failed(error)
      outcome.value = { is: 'refused', text: error instanceof Error ? error.message : String(error) }
    }
    isBusy.value = false
  }
  return (
    <div class="create">
      <details>
        <summary>Manifest</summary>
        <pre tabIndex={0} aria-label="Manifest">
          {text}
        </pre>
      </details>
      <div class="buttons">
        <button type="button" aria-disabled={isBusy.value} onClick={() => void send('tried')}>
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
      <p role="status" class={known?.is === 'refused' ? 'problem' : 'outcome'}>
        {known === undefined
          ? ''
          : known.is === 'refused'
            ? known.text
            : known.is === 'tried'
              ? 'The API server would accept it.'
              : 'It was created.'}
      </p>
    </div>
  )
}
