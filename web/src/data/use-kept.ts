import { type Signal, signal } from '@preact/signals'
import { useSession } from './session.ts'

/** A state of a view that is there again when the viewer comes back to the view, as long as the viewer is signed in. `name`: of its own. */
export function useKept<T>(name: string, initial: T): Signal<T> {
  const { kept } = useSession()
  const known = kept.get(name)
  if (known !== undefined) return known as Signal<T>
  const made = signal(initial)
  kept.set(name, made)
  return made
}
