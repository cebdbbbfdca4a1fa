import { crc32 } from 'node:zlib'

/** Returns the checksum that the log keeps beside each row, to notice damage that SQLite does not: a flipped bit inside a text. */
export function logChecksum(revision: number, bucket: string, key: string, deleted: number, text: string): number {
  return crc32(text, crc32(`${revision} ${deleted} ${bucket} ${key}`))
}
