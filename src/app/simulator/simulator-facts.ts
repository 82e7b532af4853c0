/** What the simulator can tell about itself without running. */
import { type DescribedFault, describeFaults } from '../../simulator/faults/fault-table.ts';
import { type OpenApiDocument, openApiDocument } from '../../wire/openapi/openapi-document.ts';

/** Every fault by name, with its effect and its parameters. */
export const simulatorFaults = (): readonly DescribedFault[] => describeFaults();

/** `server` is the address that the document names. */
export const simulatorDocument = (server: string): OpenApiDocument => openApiDocument(server);
