package io.understudy.switchover;

import io.understudy.config.Address;

/** Says how the old primary becomes a standby. */
final class OldPrimaryStep implements Step {
    private final Pair pair;
    private final LastTransaction transaction;

    OldPrimaryStep(Pair pair, LastTransaction transaction) {
        this.pair = pair;
        this.transaction = transaction;
    }

    @Override
    public String plan() {
        return "print the statements that make the old primary a standby";
    }

    @Override
    public String run() throws Exception {
        Address to = pair.standbyAddress();
        String host = to.isUnix() ? "HOST" : to.host();
        int port = to.isUnix() ? 0 : to.port();
        transaction.ensureLast();
        return "on " + pair.primaryAddress() + ": "
                + String.join("; ", pair.dialect().follow(host, port, pair.replication(), transaction.position()))
                + ";";
    }
}
