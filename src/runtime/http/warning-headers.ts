/** As upstream's recorder: beyond so many characters of warnings in one answer each is cut, and beyond so many cut ones no more are sent. */
const MOST_WARNING_TEXT = 4096
const CUT_WARNING = 256
/** Some clients take no more than a hundred headers; what is more shares a header, as several warnings may. */
const MOST_WARNING_HEADERS = 64

/** A text with one of these is an invalid header, and is not sent. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSENDABLE = /[\x00-\x1f\x7f-\x9f]/

/** The headers of an answer with these warnings, as Kubernetes clients print them; none without warnings. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const values = warningValues(warnings)
  return values.length === 0 ? {} : { warning: values }
}

/** The values of the headers `Warning` of RFC 7234, in the bytes of UTF-8. They are bounded in number and length. */
export function warningValues(warnings: readonly string[]): readonly string[] {
  if (warnings.length === 0) return []
  const lines = sentWarnings(warnings).map((text) => `299 - ${quoted(text)}`)
  const share = Math.ceil(lines.length / MOST_WARNING_HEADERS)
  return Array.from({ length: lines.length === 0 ? 0 : Math.ceil(lines.length / share) }, (_, index) =>
    lines.slice(index * share, (index + 1) * share).join(', '),
  )
}

/** A warning of a header: its code, who warns, its quoted text, and perhaps when. */
const VALUE = /[\s,]*(\d{3}) \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/y
/** The code by which API servers warn. */
const WARNS = '299'
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\x00-\x1f\x7f-\x9f]+/g

/**
 * The texts of the headers `Warning` of an answer, whose bytes stand in texts of Latin-1. One header may have several. Other codes are left out,
 * as client-go does; so is the rest of a header that is malformed. A space stands for control characters.
 */
export function warningTexts(headers: string | readonly string[]): readonly string[] {
  return [headers].flat().flatMap((header) => {
    const pattern = new RegExp(VALUE)
    const texts: string[] = []
    for (let found = pattern.exec(header); found !== null; found = pattern.exec(header)) {
      const [, code, quotedText = ''] = found
      const bytes = Buffer.from(quotedText.replaceAll(/\\(.)/g, '$1'), 'latin1')
      const text = bytes.toString('utf8').replaceAll(CONTROLS, ' ').trim()
      if (code === WARNS && text !== '') texts.push(text)
    }
    return texts
  })
}

/** Returns the warnings that are sent: each once, as many and as much of them as fits. */
function sentWarnings(warnings: readonly string[]): readonly string[] {
  const known = new Set<string>()
  let sent: string[] = []
  let size = 0
  let isCut = false
  const add = (text: string): void => {
    const shown = isCut ? beginningOf(text) : text
    if (UNSENDABLE.test(shown)) return
    sent.push(shown)
    size += lengthOf(shown)
  }
  for (const text of warnings) {
    if (isCut && size >= MOST_WARNING_TEXT) break
    if (text === '' || known.has(text)) continue
    known.add(text)
    if (isCut || UNSENDABLE.test(text) || size + lengthOf(text) <= MOST_WARNING_TEXT) {
      add(text)
      continue
    }
    // From here on all are cut, including those that were added already.
    isCut = true
    sent = []
    size = 0
    for (const one of known) add(one)
  }
  return sent
}

/** In characters, of which one beyond the first plane takes two places of a text. */
function lengthOf(text: string): number {
  let length = 0
  for (const _character of text) length++
  return length
}

const beginningOf = (text: string): string =>
  Array.from(text.slice(0, 2 * CUT_WARNING))
    .slice(0, CUT_WARNING)
    .join('')

/** As a quoted text of HTTP, in the bytes of UTF-8. */
const quoted = (text: string): string =>
  `"${Buffer.from(text, 'utf8').toString('latin1').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
