import type { KubeObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
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
}

export type ReadPage<T extends KubeObject> = (request: PageRequest) => Promise<ListPage<T>>

export const PAGE_SIZE = 500

/**
 * The pages of one snapshot as they come, at least one; a `pageSize` of 0 asks for one with everything. Throws ApiError
 * (410) when the snapshot is gone before the last.
 */
export async function* readPages<T extends KubeObject>(
  read: ReadPage<T>,
  pageSize = PAGE_SIZE,
): AsyncGenerator<Listed<T>, void> {
  const limit = pageSize === 0 ? {} : { limit: pageSize }
  const first = await read({ ...limit, continueToken: '' })
  const { resourceVersion } = first
  yield { items: first.items, resourceVersion }
  for (let token = first.continueToken; token !== '';) {
    const page = await read({ ...limit, continueToken: token })
    yield { items: page.items, resourceVersion }
    token = page.continueToken
  }
}

/**
 * All pages together. When the snapshot is compacted while it is read, reading begins again once, and then asks for all at
 * once: a list that changes quickly on a small server would else never end.
 */
export async function readAllPages<T extends KubeObject>(read: ReadPage<T>, pageSize = PAGE_SIZE): Promise<Listed<T>> {
  const whole = (await collected(read, pageSize)) ?? (await collected(read, pageSize))
  if (whole !== undefined) return whole
  const { items, resourceVersion } = await read({ continueToken: '' })
  return { items, resourceVersion }
}

/** Undefined when the snapshot was gone before its last page. */
async function collected<T extends KubeObject>(read: ReadPage<T>, pageSize: number): Promise<Listed<T> | undefined> {
  const pages: Listed<T>[] = []
  try {
    for await (const page of readPages(read, pageSize)) pages.push(page)
  } catch (error) {
    if (pages.length > 0 && error instanceof ApiError && error.status.code === 410) return undefined
    throw error
  }
  return { items: pages.flatMap((page) => page.items), resourceVersion: pages[0]?.resourceVersion ?? '' }
}
