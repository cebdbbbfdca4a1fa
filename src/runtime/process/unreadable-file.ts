import { systemCode } from './startup-error.ts'

/** The reasons why a file cannot be used, by the code of the system's error. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'this user may not do that',
  EPERM: 'this user may not do that',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is no directory',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EROFS: 'it is on a disk that cannot be written',
  ENOSPC: 'its disk is full',
}

/** The reason of an error of the system about a file, in words. */
export const fileProblem = (error: unknown): string => {
  const code = systemCode(error)
  return REASONS[code] ?? (code || 'unknown error')
}

/** The sentence about a file that cannot be read. `flag`: that named it. */
export const unreadableFile = (file: string, error: unknown, flag?: string): string =>
  `cannot read ${file}${flag === undefined ? '' : ` (from ${flag})`}: ${fileProblem(error)}`
