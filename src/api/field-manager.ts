/** The name by which API servers record what allot writes. They take it from the user agent, and server-side apply from the request. */
export const FIELD_MANAGER = 'allot'
