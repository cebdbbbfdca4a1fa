import { text } from './scalar-type.ts'

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

/** The name of an object in a status: any DNS subdomain, since pools and claims may have names with dots. */
export const objectName = (description: string) =>
  text(description, { maxLength: 253, pattern: `^${LABEL}(\\.${LABEL})*$` })
