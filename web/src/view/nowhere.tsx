import { ToView } from '../part/links.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

/** `why`: what is wrong with the address, where that can be told. */
export function Nowhere({ why }: { readonly why?: string }) {
  return (
    <>
      <ViewHeading title="There is no such view" />
      {why === undefined ? null : <p>{why}</p>}
      <p>
        <ToView to={{ view: 'overview' }}>Go to the overview</ToView>
      </p>
    </>
  )
}
