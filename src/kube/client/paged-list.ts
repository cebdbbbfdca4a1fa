import type { KubeObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
import { isTooLarge } from './answer-reader.ts'
import type { Listed } from './kube-client.ts'

/** The part of a list to ask for; without `limit` it is the whole list. */
export interface PageRequest {
  readonly limit?: number
  /** Where to go on; '' at the beginning. */
  readonly continueToken: string
}

export interface ListPage<T extends KubeObject> extends Listed<T> {
  /** '' when nothing follows. */
  readonly continueToken: string
  /** How many objects follow; left out: nobody knows. */
  readonly remaining?: number | undefined
  /** The length of the page as it came. */
  readonly length: number
}

export type ReadPage<T extends KubeObject> = (request: PageRequest) => Promise<ListPage<T>>

export const PAGE_SIZE = 500
/** Of objects whose size nobody knows yet. */
const FIRST_PAGE_SIZE = 20
/** Pages of large objects are asked for so that none is much longer. */
const PAGE_LENGTH = 2 * 1024 * 1024

/** How the objects of a list are read. */
export interface Paging {
  /** 0: all at once; left out: 500. */
  readonly pageSize?: number | undefined
  /** Are pages to be bounded by their length, too? */
  readonly isBounded?: boolean
}

/**
 * The pages of one snapshot as they come, at least one; a `pageSize` of 0 asks for one with everything. Throws ApiError
 * (410) when the snapshot is gone before the last.
 */
export async function* readPages<T extends KubeObject>(
  read: ReadPage<T>,
  { pageSize = PAGE_SIZE, isBounded = false }: Paging = {},
): AsyncGenerator<ListPage<T>, void> {
  const limitOf = (size: number): { readonly limit?: number } => (pageSize === 0 ? {} : { limit: size })
  const first = await read({
    ...limitOf(isBounded ? Math.min(FIRST_PAGE_SIZE, pageSize) : pageSize),
    continueToken: '',
  })
  const { resourceVersion } = first
  yield { ...first, resourceVersion }
  let longest = lengthOfOne(first)
  for (let token = first.continueToken; token !== '';) {
    const fitting = Math.max(1, Math.floor(PAGE_LENGTH / longest))
    const page = await read({ ...limitOf(isBounded ? Math.min(fitting, pageSize) : pageSize), continueToken: token })
    yield { ...page, resourceVersion }
    token = page.continueToken
    longest = Math.max(longest, lengthOfOne(page))
  }
}

/** How long an object of a page is at the mean. */
const lengthOfOne = ({ items, length }: ListPage<KubeObject>): number => length / Math.max(items.length, 1)

/**
 * All pages together. When the snapshot is compacted while it is read, reading begins again once. After that it asks for all at once. Else
 * a list that changes quickly on a small server would never end.
 */
export async function readAllPages<T extends KubeObject>(read: ReadPage<T>, paging: Paging = {}): Promise<Listed<T>> {
  const whole = (await collected(read, paging)) ?? (await collected(read, paging))
  if (whole !== undefined) return whole
  return listedIn([await read({ continueToken: '' })])
}

/** Undefined when the snapshot was gone before its last page. What is too large to be read any further ends there. */
async function collected<T extends KubeObject>(read: ReadPage<T>, paging: Paging): Promise<Listed<T> | undefined> {
  const pages: ListPage<T>[] = []
  try {
    for await (const page of readPages(read, paging)) pages.push(page)
  } catch (error) {
    if (pages.length === 0) throw error
    if (error instanceof ApiError && error.status.code === 410) return undefined
    if (!isTooLarge(error)) throw error
    return { ...listedIn(pages), cut: { left: pages.at(-1)?.remaining } }
  }
  return listedIn(pages)
}

function listedIn<T extends KubeObject>(pages: readonly ListPage<T>[]): Listed<T> {
  const cut = pages.at(-1)?.cut
  const items = pages.flatMap((page) => page.items)
  return { items, resourceVersion: pages[0]?.resourceVersion ?? '', ...(cut === undefined ? {} : { cut }) }
}
