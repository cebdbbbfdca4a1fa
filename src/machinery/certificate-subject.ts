/** The object identifier of an organization in a name: 2.5.4.10. */
const ORGANIZATION = '55040a'
const BMP_STRING = 0x1e

interface Element {
  readonly tag: number
  readonly content: Buffer
}

/** The organizations in the subject of a PKCS #10 certificate request in PEM. None where it cannot be read. */
export function organizationsOf(pem: string): readonly string[] {
  const [, base64 = ''] = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem) ?? []
  const [request] = elements(Buffer.from(base64, 'base64'))
  const [info] = elements(request?.content)
  // The version stands before the subject.
  const [, subject] = elements(info?.content)
  return elements(subject?.content)
    .flatMap(({ content }) => elements(content))
    .flatMap(({ content }) => {
      const [type, value] = elements(content)
      return type?.content.toString('hex') === ORGANIZATION && value !== undefined ? [textOf(value)] : []
    })
}

const textOf = ({ tag, content }: Element): string =>
  tag === BMP_STRING && content.length % 2 === 0
    ? Buffer.from(content).swap16().toString('utf16le')
    : content.toString('utf8')

/** The elements that stand one after another (DER), as far as they are whole. */
function elements(bytes: Buffer = Buffer.alloc(0)): readonly Element[] {
  const found: Element[] = []
  for (let at = 0; at + 2 <= bytes.length;) {
    const tag = bytes.readUInt8(at)
    const first = bytes.readUInt8(at + 1)
    const more = first < 0x80 ? 0 : first & 0x7f
    if (more > 4 || at + 2 + more > bytes.length) break
    const length = more === 0 ? first & 0x7f : bytes.readUIntBE(at + 2, more)
    const start = at + 2 + more
    if (start + length > bytes.length) break
    found.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return found
}
