import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'

/** What is to hold for the objects of a kind that are wanted. A binding of Karmada may be there and have no clusters. */
export const wantedState = (kind: string): string => (kind === RESOURCE_BINDINGS.kind ? 'have their clusters' : 'exist')
