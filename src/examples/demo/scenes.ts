/** One message of the tour, with its expected effects. */
export interface TourMessage {
  readonly message: string;
  /**
   * The first calls of the turn, including those of nested loops. An empty list means that the turn has no
   * calls.
   */
  readonly calls: readonly string[];
  readonly answer: RegExp;
}

/** Two turns of one session, with a SIGKILL between them. */
export interface Scene {
  readonly agent: string;
  /** The point that the second turn demonstrates. */
  readonly point: string;
  readonly before: TourMessage;
  readonly after: TourMessage;
}

/** The tour's scenes, in the order in which they are shown. */
export const scenes: readonly Scene[] = [
  {
    agent: 'support',
    point: 'answers from what it looked up before',
    before: {
      message: 'Where is order 1002?',
      calls: ['find_order', 'track_shipment'],
      answer: /Bilbao/,
    },
    after: { message: 'What was its total?', calls: [], answer: /118\.5/ },
  },
  {
    agent: 'orders',
    point: 'a state machine: the order is where it was, so it can be shipped',
    before: {
      message: 'Move order 2001 to packed',
      calls: ['move_order', 'pack_order'],
      answer: /warehouse-/,
    },
    after: {
      message: 'Move order 2001 to shipped',
      calls: ['move_order', 'ship_order'],
      answer: /warehouse-/,
    },
  },
  {
    agent: 'researcher',
    point: 'a playbook: what was unlocked is unlocked, so it reports at once',
    before: {
      message: 'Research tides',
      calls: ['research_theme', 'search_documents', 'fetch_document', 'fetch_document', 'analyze_document'],
      answer: /The moon pulls the water/,
    },
    after: {
      message: 'Research tides again',
      calls: ['research_theme', 'report_findings'],
      answer: /The moon pulls the water/,
    },
  },
  {
    agent: 'workspace',
    point: '126 tools behind 6: three levels down, to what was written before',
    before: {
      message: 'Add a document "Packing list" with the text "Two lines, one lantern"',
      calls: ['files', 'documents', 'add_document'],
      answer: /Packing list/,
    },
    after: {
      message: 'What does document D-1 say?',
      calls: ['files', 'documents', 'read_document'],
      answer: /Two lines, one lantern/,
    },
  },
  {
    agent: 'files',
    point: 'an MCP server: its tools are known from the journal, and unfolded still',
    before: {
      message: 'Give a detailed listing of the directory with the path "."',
      calls: ['files', 'list_directory'],
      answer: /\[FILE\] notes\.txt/,
    },
    after: {
      message: 'Read the text file with the path "notes.txt"',
      calls: ['read_text_file'],
      answer: /Two lines, one lantern/,
    },
  },
];
