package io.understudy.switchover;

/** Removes the new primary's replication connection, which would start again with the server. */
final class ForgetStep implements Step {
    private final Pair pair;

    ForgetStep(Pair pair) {
        this.pair = pair;
    }

    @Override
    public String plan() {
        return "remove the replication connection of " + pair.standby().name() + ": " + statement();
    }

    private String statement() {
        return pair.dialect().forget(pair.replication());
    }

    @Override
    public String run() throws Exception {
        pair.standby().execute(statement());
        return "removed";
    }
}
