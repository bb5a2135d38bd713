-- do/holdfast-SessionObject/53381fd09dc47ca153c3ffd39e098670801fe876981a41d9f35635956a07f263.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (2, '["ada","queued","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781500, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"611cdb0bc10a43b0","agent":"queued"}');
INSERT INTO "events" VALUES (2, 0, 1795369781500, 'turn-started', 'f486fe92ecd54b06', 137, '{"v":1,"type":"turn-started","turn":"f486fe92ecd54b06","loopId":"f486fe92ecd54b06","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 541668152116, 1795369781887, 'model-replied', 'f486fe92ecd54b06', 248, '{"v":1,"type":"model-replied","turn":"f486fe92ecd54b06","model":"scripted","text":"","toolCalls":[{"id":"f486fe92ecd54b06.3.0","providerId":"call_0_0","name":"send","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 541668152116, 1795369781887, 'tool-call-suspended', 'f486fe92ecd54b06', 323, '{"v":1,"type":"tool-call-suspended","turn":"f486fe92ecd54b06","call":"f486fe92ecd54b06.3.0","wait":{"for":"decision","message":"Send it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"e0d045363c847ea035aa95475a41ac271be36ec60882927bbe086ba86ba83424"}}');
INSERT INTO "lease" VALUES (1, 541668152116, '57fc55a5e7ef43d9', 'f486fe92ecd54b06', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "inbox" VALUES (1, 'message', 'a159860b8f1b46a4', '{"v":1,"type":"turn-started","turn":"a159860b8f1b46a4","loopId":"a159860b8f1b46a4","message":"And two?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'message', '49b0e87282db4654', '{"v":1,"type":"turn-started","turn":"49b0e87282db4654","loopId":"49b0e87282db4654","message":"And three?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
