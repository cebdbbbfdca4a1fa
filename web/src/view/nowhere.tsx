import { ToView } from '../part/links.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

export function Nowhere() {
  return (
    <>
      <ViewHeading title="There is no such view" />
      <p>
        <ToView to={{ view: 'overview' }}>Go to the overview</ToView>
      </p>
    </>
  )
}
