import type { DatabaseSync } from 'node:sqlite'
import { LogSeal, sealSchema } from './seal.ts'

/** `PRAGMA application_id` of our files: "allt". */
export const applicationId = 0x616c6c74

/** `PRAGMA user_version` of the files that this code writes. */
export const formatVersion = 3

/**
 * Format 3. `log`: one row per version, `text` its JSON (also of a tombstone, `deleted` = 1), `checksum` as in
 * checksum.ts. `seal`: its only row says which rows there are, see seal.ts. Beside the database stands its mark, see
 * high-water-mark.ts.
 */
export const schema = `
  CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    bucket TEXT NOT NULL,
    key TEXT NOT NULL,
    created INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  ${sealSchema}
`

/** `migrations[n]` takes a file from format `n` to `n + 1`, inside a transaction and after a backup. */
export const migrations: readonly ((database: DatabaseSync) => void)[] = [addCreated, addSeal, addMark]

/** The columns of each format's tables: a file whose number says another format than its tables is damaged. */
const shapes: readonly (readonly [table: string, columns: string])[][] = [
  [
    ['log', 'revision bucket key deleted checksum text'],
    ['meta', 'name value'],
  ],
  [
    ['log', 'revision bucket key created deleted checksum text'],
    ['meta', 'name value'],
  ],
  [
    ['log', 'revision bucket key created deleted checksum text'],
    ['seal', 'id floor rows sum checksum'],
  ],
  [
    ['log', 'revision bucket key created deleted checksum text'],
    ['seal', 'id floor rows sum checksum'],
  ],
]

/** Has the database the tables of this format and no other? Columns that a migration added stand last. */
export function hasShape(database: DatabaseSync, version: number): boolean {
  const shape = shapes[version]
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all()
  return (
    shape !== undefined &&
    tables.length === shape.length &&
    shape.every(([table, columns], index) => {
      if (tables[index]?.['name'] !== table) return false
      const found = database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
      const names = found.map(({ name }) => String(name)).toSorted()
      return names.join(' ') === columns.split(' ').toSorted().join(' ')
    })
  )
}

/** Format 0, before the first release, did not know when an object was created: its oldest row since it was last absent. */
function addCreated(database: DatabaseSync): void {
  database.exec('ALTER TABLE log ADD COLUMN created INTEGER NOT NULL DEFAULT 0')
  const created = new Map<string, number>()
  const update = database.prepare('UPDATE log SET created = ? WHERE revision = ?')
  const rows = database.prepare('SELECT revision, bucket, key, deleted FROM log ORDER BY revision').all()
  for (const { revision, bucket, key, deleted } of rows) {
    if (typeof revision !== 'number') continue
    const name = `${String(bucket)}\0${String(key)}`
    const first = created.get(name) ?? revision
    update.run(first, revision)
    if (deleted === 1) created.delete(name)
    else created.set(name, first)
  }
}

/** Format 1 had only the floor, so that rows could be missing without notice. The content of each row is checked when it is read. */
function addSeal(database: DatabaseSync): void {
  const floor = database.prepare(`SELECT value FROM meta WHERE name = 'floor'`).get()?.['value']
  if (typeof floor !== 'number') throw new TypeError('the floor of the history is missing')
  database.exec(`${sealSchema} DROP TABLE meta`)
  const seal = new LogSeal()
  seal.floor = floor
  const rows = database.prepare('SELECT created, checksum FROM log').iterate()
  for (const { created, checksum } of rows) seal.add(Number(created), Number(checksum))
  seal.write(database)
}

/** Format 2 had no mark beside the database. It is made before: here only the number says that there must be one. */
function addMark(): void {}
