/** What a panel draws. */
export interface Panel {
  readonly title: string
  /** What a reader sees in it, in one sentence. */
  readonly description: string
  /** `bars`: one bar for each series as it is now; `lines`: over time; `table`: one row for each series as it is now. */
  readonly type: 'bars' | 'lines' | 'table' | 'number'
  readonly unit: 'percent' | 'short' | 's' | 'reqps'
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  /** Where the colour changes: to yellow, to red. */
  readonly thresholds?: readonly [yellow: number, red: number]
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly description: string
  readonly panels: readonly Panel[]
}

const TYPES = { bars: 'bargauge', lines: 'timeseries', table: 'table', number: 'stat' } as const
const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' }
/** Grafana's grid has 24 columns: two panels stand in a row. */
const COLUMNS = 24
const ACROSS = 2
const HEIGHT = 8
/** The queries of a panel are named by letters. */
const REFERENCES = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A dashboard in the JSON that Grafana 9 and newer import. */
export function grafanaDashboard({ uid, title, description, panels }: Dashboard): object {
  return {
    uid,
    title,
    description,
    tags: ['allot', 'quota'],
    schemaVersion: 38,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    panels: panels.map(panelJson),
  }
}

function panelJson({ title, description, type, unit, queries, thresholds }: Panel, index: number): object {
  const isNow = type !== 'lines'
  const width = COLUMNS / ACROSS
  return {
    id: index + 1,
    title,
    description,
    type: TYPES[type],
    datasource: DATA_SOURCE,
    gridPos: { x: (index % ACROSS) * width, y: Math.floor(index / ACROSS) * HEIGHT, w: width, h: HEIGHT },
    fieldConfig: {
      defaults: {
        unit,
        ...(unit === 'percent' && { min: 0 }),
        ...(thresholds && {
          color: { mode: 'thresholds' },
          thresholds: {
            mode: 'absolute',
            steps: [
              { color: 'green', value: null },
              { color: 'yellow', value: thresholds[0] },
              { color: 'red', value: thresholds[1] },
            ],
          },
        }),
      },
      overrides: [],
    },
    options: type === 'bars' ? { orientation: 'horizontal', displayMode: 'gradient', valueMode: 'color' } : {},
    targets: queries.map(({ expr, legend }, at) => ({
      refId: REFERENCES.charAt(at),
      datasource: DATA_SOURCE,
      expr,
      legendFormat: legend,
      instant: isNow,
      range: !isNow,
      ...(type === 'table' && { format: 'table' }),
    })),
  }
}
