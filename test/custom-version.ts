/** A version of a definition: served, stored, with any fields. */
export const customVersion = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ...more,
})
