-- do/holdfast-SessionObject/c70eb1733311b11bd82679a9c303af8e04812b1d1e274cac16728da33f00b14a.sqlite
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
INSERT INTO "schema" VALUES (2, '["acme","of-a-tenant","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781498, 'session-opened', '', 86, '{"v":1,"type":"session-opened","incarnation":"6bc166bf11bf4b44","agent":"of-a-tenant"}');
INSERT INTO "events" VALUES (2, 0, 1795369781498, 'turn-started', '6274375d1c7d49ea', 153, '{"v":1,"type":"turn-started","turn":"6274375d1c7d49ea","loopId":"6274375d1c7d49ea","message":"Go.","context":{},"principal":{"id":"ada","tenant":"acme"}}');
INSERT INTO "events" VALUES (3, 378399315196, 1795369781886, 'model-replied', '6274375d1c7d49ea', 262, '{"v":1,"type":"model-replied","turn":"6274375d1c7d49ea","model":"scripted","text":"","toolCalls":[{"id":"6274375d1c7d49ea.3.0","providerId":"call_0_0","name":"refund","input":"{\"amount\":5}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 378399315196, 1795369781886, 'tool-call-suspended', '6274375d1c7d49ea', 388, '{"v":1,"type":"tool-call-suspended","turn":"6274375d1c7d49ea","call":"6274375d1c7d49ea.3.0","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","by":"manager","binding":"5663aff25593393894a91c71e985e24b9ca932f4077d582f81564f2d0f6ab838"}}');
INSERT INTO "lease" VALUES (1, 378399315196, '922047bf1b224a04', '6274375d1c7d49ea', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
