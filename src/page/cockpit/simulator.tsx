/** The simulated broker: its customers where it runs alone, and its faults, also in the page of a paper run. */
import { useSignal } from '@preact/signals';
import type {
  ArmedFaultState,
  KnownFault,
  KnownFaults,
  SimulatorState,
} from '../../operator/cockpit/cockpit-model.ts';
import { count, signed } from './format.ts';
import { Bar, Cell, Dot, Panel, Positions, Table, useAnswer, Vnd, Waiting } from './parts.tsx';
import { canSteer, command, state } from './store.ts';
import { t } from './text.ts';

const HELD = {
  customer: { name: t.customer },
  position: { name: t.position, isNumber: true },
  open: { name: t.open, isNumber: true },
  costs: { name: t.costs, isNumber: true },
  day: { name: t.day, isNumber: true },
  assets: { name: t.assets, isNumber: true },
  margin: { name: t.marginInUse, isNumber: true },
} as const;

export const Customers = ({ broker: { clients, customers } }: { readonly broker: SimulatorState }) => (
  <Panel title={t.customers} area="full" aside={`${t.clients}: ${count(clients)}`}>
    <Table label={t.customers} columns={Object.values(HELD)}>
      {customers.map(({ name, positions, costsVnd, dayProfitVnd, assetsVnd, marginPercent }) => (
        <tr key={name}>
          <Cell of={HELD.customer}>
            <b>{name}</b>
          </Cell>
          <Cell of={HELD.position}>
            <Positions positions={positions} show={({ qty, contract }) => `${signed(qty)} ${contract}`} />
          </Cell>
          <Cell of={HELD.open}>
            <Vnd value={positions.reduce((sum, { openVnd }) => sum + openVnd, 0)} />
          </Cell>
          <Cell of={HELD.costs}>
            <Vnd value={costsVnd} isSigned={false} />
          </Cell>
          <Cell of={HELD.day}>
            <Vnd value={dayProfitVnd} />
          </Cell>
          <Cell of={HELD.assets}>
            <Vnd value={assetsVnd} isSigned={false} />
          </Cell>
          <Cell of={HELD.margin}>
            <span class="num">{marginPercent.toFixed(1)} %</span>
            <Bar
              part={marginPercent / 100}
              tone={marginPercent >= 80 ? 'bad' : 'good'}
              label={`${t.marginInUse} ${name}`}
            />
          </Cell>
        </tr>
      ))}
    </Table>
  </Panel>
);

/** None where the broker is no simulator. */
export function Faults() {
  const armed = state.value?.faults;
  const known = useAnswer<KnownFaults>(armed === undefined ? null : '/faults');
  if (armed === undefined) return null;
  return (
    <Panel title={t.faultsTitle} area="full">
      <p class="note">{t.faultsMeaning}</p>
      <Waiting {...known} />
      <ul class="faults">
        {known.value?.map((each) => (
          <FaultRow key={each.name} fault={each} armed={armed.filter(({ name }) => name === each.name)} />
        ))}
      </ul>
    </Panel>
  );
}

function FaultRow({
  fault: { name, effect, isInstant, parameters },
  armed,
}: {
  readonly fault: KnownFault;
  readonly armed: readonly ArmedFaultState[];
}) {
  const examples = parameters.map((each) => [each.name, each.example] as const);
  const given = useSignal<Readonly<Record<string, string>>>(Object.fromEntries(examples));
  const isOn = armed.length > 0;
  const change = (): void =>
    void command(name, 'fault', isOn ? { name, isOn: false } : { name, isOn: true, parameters: given.value });
  return (
    <li>
      <button type="button" disabled={!canSteer.value} {...(!isInstant && SWITCH(isOn))} onClick={change}>
        {name}
      </button>
      <div>
        {effect}
        {isOn && (
          <p>
            <Dot tone="bad" label={[t.isOn, ...armed.map(({ text }) => text)].filter(Boolean).join(' · ')} />
          </p>
        )}
        {parameters.length > 0 && !isOn && (
          <details>
            <summary>{parameters.map((each) => each.name).join(', ')}</summary>
            <div class="fields">
              {parameters.map((each) => (
                <Parameter
                  key={each.name}
                  of={each}
                  value={given.value[each.name] ?? ''}
                  onChange={(text) => {
                    given.value = { ...given.value, [each.name]: text };
                  }}
                />
              ))}
            </div>
          </details>
        )}
      </div>
    </li>
  );
}

const SWITCH = (isOn: boolean) => ({ role: 'switch', 'aria-checked': isOn }) as const;

function Parameter({
  of: { name, expected, isRequired, choices },
  value,
  onChange,
}: {
  readonly of: KnownFault['parameters'][number];
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <label title={expected}>
      {isRequired ? `${name} (${t.required})` : name}
      {choices.length === 0 && (
        <input
          value={value}
          placeholder={expected}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      {choices.length > 0 && (
        <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {!isRequired && <option value="">{t.any}</option>}
          {choices.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </label>
  );
}
