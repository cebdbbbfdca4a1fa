import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { expired, failure, notFound } from '../../machinery/status.ts'
import { AnswerTooLarge } from './answer-reader.ts'
import { type PageRequest, readAllPages, readPages } from './paged-list.ts'

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name } })

/** A list of three pages, `a` to `c`; `goneAt` says at which requests the snapshot is gone. */
function pager(goneAt: readonly number[] = []) {
  const requests: PageRequest[] = []
  const read = async (request: PageRequest) => {
    requests.push(request)
    if (goneAt.includes(requests.length)) throw expired('too old')
    if (request.limit === undefined)
      return { items: ['a', 'b', 'c'].map(object), resourceVersion: '9', continueToken: '', length: 3 }
    const at = request.continueToken === '' ? 0 : Number(request.continueToken)
    const items = [object(['a', 'b', 'c'][at] ?? '')]
    return { items, resourceVersion: String(at + 1), continueToken: at === 2 ? '' : String(at + 1), length: 1 }
  }
  return { read, requests }
}

const names = (items: readonly KubeObject[]) => items.map((item) => item.metadata.name)

describe('a list', () => {
  test('is read page by page, at the version of its first page', async () => {
    const { read, requests } = pager()
    const { items, resourceVersion } = await readAllPages(read)
    expect([names(items), resourceVersion, requests]).toEqual([
      ['a', 'b', 'c'],
      '1',
      ['', '1', '2'].map((continueToken) => ({ limit: 500, continueToken })),
    ])
  })

  test('whose snapshot goes is begun again', async () => {
    const { read, requests } = pager([3])
    expect([names((await readAllPages(read)).items), requests.length]).toEqual([['a', 'b', 'c'], 6])
  })

  test('whose snapshot goes again is asked for at once', async () => {
    const { read, requests } = pager([3, 5])
    const { items, resourceVersion } = await readAllPages(read)
    expect([names(items), resourceVersion, requests.at(-1)]).toEqual([['a', 'b', 'c'], '9', { continueToken: '' }])
  })

  test('that is too old from the beginning is refused', async () => {
    const { read, requests } = pager([1])
    await expect(readAllPages(read)).rejects.toMatchObject({ status: { code: 410 } })
    expect(requests).toHaveLength(1)
  })

  test('that is refused for another reason is not asked for again', async () => {
    const read = () => Promise.reject(notFound({ group: '', resource: 'things' }, ''))
    await expect(readAllPages(read)).rejects.toMatchObject({ status: { code: 404 } })
  })
})

describe('a list that its reader cannot hold', () => {
  const page = (name: string, remaining: number, more: object = {}) => ({
    items: [{ apiVersion: 'v1', kind: 'Thing', metadata: { name } }],
    resourceVersion: '1',
    continueToken: remaining === 0 ? '' : name,
    remaining,
    length: 10,
    ...more,
  })
  const tooLarge = new AnswerTooLarge(failure(413, 'RequestEntityTooLarge', 'too much'))

  test('ends with the page that is cut, and is not asked for any further', async () => {
    const pages = [page('a', 9), page('b', 0, { cut: { left: 8 } })]
    const { items, cut } = await readAllPages(async () => pages.shift() ?? page('never', 0))
    expect([names(items), cut, pages]).toEqual([['a', 'b'], { left: 8 }, []])
  })

  test('ends before a page that is too large, and is not begun again', async () => {
    const pages = [page('a', 9), tooLarge, page('never', 0)]
    const read = async () => {
      const next = pages.shift()
      if (next === undefined || next instanceof Error) throw next
      return next
    }
    const { items, cut } = await readAllPages(read)
    expect([names(items), cut, pages.length]).toEqual([['a'], { left: 9 }, 1])
  })

  test('is refused where nothing of it can be read', async () => {
    await expect(readAllPages(() => Promise.reject(tooLarge))).rejects.toBe(tooLarge)
  })
})

describe('pages', () => {
  test('come one after the other, when they are asked for', async () => {
    const { read, requests } = pager()
    const seen: unknown[] = []
    for await (const { items, resourceVersion } of readPages(read))
      seen.push([...names(items), resourceVersion, requests.length])
    expect(seen).toEqual([
      ['a', '1', 1],
      ['b', '1', 2],
      ['c', '1', 3],
    ])
  })

  test('report when their snapshot goes', async () => {
    const { read } = pager([2])
    const reading = (async () => {
      for await (const _ of readPages(read));
    })()
    await expect(reading).rejects.toMatchObject({ status: { code: 410 } })
  })
})
