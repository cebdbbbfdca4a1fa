/**
 * A part of a URL that nobody guesses, such as that of allot's webhooks: so many hexadecimal digits between slashes, as identifiers of objects
 * and hashes of rules do not have.
 */
const UNGUESSABLE = /\/[0-9a-f]{32,}(?![0-9A-Za-z._~%-])/g

/** The text with an ellipsis in place of what nobody guesses in the URLs that it quotes. Errors about webhooks quote their URLs. */
export const withoutUnguessableParts = (text: string): string => text.replaceAll(UNGUESSABLE, '/…')
