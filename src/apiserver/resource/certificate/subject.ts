import { type DerElement, derElements } from './der.ts'

/** The object identifier of an organization in a name: 2.5.4.10. */
const ORGANIZATION = '55040a'
const BMP_STRING = 0x1e

/** The organizations in the subject of a PKCS #10 certificate request (DER). None where it cannot be read. */
export function organizationsOf(request: Buffer): readonly string[] {
  const [whole] = derElements(request)
  const [info] = derElements(whole?.content)
  // The version stands before the subject.
  const [, subject] = derElements(info?.content)
  return derElements(subject?.content)
    .flatMap(({ content }) => derElements(content))
    .flatMap(({ content }) => {
      const [type, value] = derElements(content)
      return type?.content.toString('hex') === ORGANIZATION && value !== undefined ? [textOf(value)] : []
    })
}

const textOf = ({ tag, content }: DerElement): string =>
  tag === BMP_STRING && content.length % 2 === 0
    ? Buffer.from(content).swap16().toString('utf16le')
    : content.toString('utf8')
