-- do/holdfast-SessionObject/4db0cb312c721691934b1d77b085a0bdf8f542802e23e172a895b5b92b3afef1.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (1, '[{"tenant":"acme"},"of-a-tenant","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346782, 'session-opened', '', 86, NULL, '{"v":1,"type":"session-opened","incarnation":"ae1913fbe9b6417c","agent":"of-a-tenant"}');
INSERT INTO "events" VALUES (2, 0, 1795939346782, 'turn-started', '48fd5ca6e7694503', 153, NULL, '{"v":1,"type":"turn-started","turn":"48fd5ca6e7694503","loopId":"48fd5ca6e7694503","message":"Go.","context":{},"principal":{"id":"ada","tenant":"acme"}}');
INSERT INTO "events" VALUES (4, 96906664873, 1795939347253, 'model-replied tool-call-suspended', '48fd5ca6e7694503', 702, '314 388', '{"v":1,"type":"model-replied","turn":"48fd5ca6e7694503","model":"scripted","text":"","toolCalls":[{"id":"48fd5ca6e7694503.3.0","providerId":"call_0_0","name":"refund","input":"{\"amount\":5}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ey9kz2"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-suspended","turn":"48fd5ca6e7694503","call":"48fd5ca6e7694503.3.0","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","by":"manager","binding":"5663aff25593393894a91c71e985e24b9ca932f4077d582f81564f2d0f6ab838"}}');
INSERT INTO "lease" VALUES (1, 96906664873, 'cd6f9d174c6d4443', '48fd5ca6e7694503', 'suspended', 'started', 0, 0, 1795939347253, 4, 1795939346782, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
