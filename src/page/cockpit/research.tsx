/** Backtests and sweeps beside each other, and the report of one. */
import { type Signal, useSignal } from '@preact/signals';
import type { ResearchRun, ResearchRuns } from '../../operator/cockpit/cockpit-model.ts';
import { dateTime } from './format.ts';
import { Button, Comparison, Empty, Panel, useAnswer, Waiting } from './parts.tsx';
import { t } from './text.ts';

const COMPARED_MAX = 4;

export function Research() {
  const runs = useAnswer<ResearchRuns>('/research');
  const picked = useSignal<readonly string[] | null>(null);
  const report = useSignal<string | null>(null);
  const found = runs.value ?? [];
  const chosen = picked.value ?? found.slice(0, 2).map(({ run }) => run);
  const choose = (run: string): void => {
    const others = chosen.filter((each) => each !== run);
    picked.value = others.length < chosen.length ? others : [...others, run].slice(-COMPARED_MAX);
  };
  return (
    <>
      <Panel title={t.runsTitle} area="third">
        <Waiting {...runs} />
        {runs.value?.length === 0 && <Empty>{t.noRuns}</Empty>}
        <ul class="runs">
          {found.map((each) => (
            <Run
              key={each.run}
              run={each}
              isChosen={chosen.includes(each.run)}
              choose={choose}
              open={report}
            />
          ))}
        </ul>
      </Panel>
      <Chosen runs={found.filter(({ run }) => chosen.includes(run))} />
      {report.value !== null && (
        <Panel title={`${t.report}: ${report.value}`}>
          <iframe
            title={`${t.report} ${report.value}`}
            src={`/research/${encodeURIComponent(report.value)}/report`}
            sandbox="allow-scripts"
          />
        </Panel>
      )}
    </>
  );
}

function Run({
  run: { run, kind, title, realMs, hasReport },
  isChosen,
  choose,
  open,
}: {
  readonly run: ResearchRun;
  readonly isChosen: boolean;
  readonly choose: (run: string) => void;
  readonly open: Signal<string | null>;
}) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={isChosen} onChange={() => choose(run)} />
        <span>
          <b>{title}</b>
          <small class="quiet num">
            {t.runKind[kind]} · {dateTime(realMs)} · {run}
          </small>
        </span>
      </label>
      {hasReport && (
        <Button
          kind="small"
          onClick={() => {
            open.value = run;
          }}
        >
          {t.report}
        </Button>
      )}
    </li>
  );
}

/** One row for each figure that any of them has. */
function Chosen({ runs }: { readonly runs: ResearchRuns }) {
  const names = [...new Set(runs.flatMap(({ figures }) => figures.map(({ what }) => what)))];
  const rows = names.map((what) => ({
    what,
    values: runs.map(({ figures }) => figures.find((each) => each.what === what)?.value ?? '–'),
  }));
  return (
    <Panel title={t.comparison} area="wide">
      {runs.length === 0 && <Empty>{t.chooseRuns}</Empty>}
      {runs.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label={t.comparison}>
          <Comparison label={t.comparison} sources={runs.map(({ title }) => title)} rows={rows} />
        </div>
      )}
    </Panel>
  );
}
