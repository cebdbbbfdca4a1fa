import { useSession } from '../data/session.ts'

/** What has happened, for those who hear the page. */
export function LiveRegion() {
  const { said } = useSession()
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said.value}
    </p>
  )
}
