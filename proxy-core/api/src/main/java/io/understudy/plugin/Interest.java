package io.understudy.plugin;

/**
 * Bits that name the callbacks and values an observer uses, read once per session. The proxy does not inspect what no
 * observer uses.
 */
public final class Interest {
    /** Calls {@link SessionObserver#onCommand}. */
    public static final int COMMANDS = 1;
    /** Makes the statement's text available in {@link CommandView}: its kind, summary, text and packet. */
    public static final int STATEMENTS = 1 << 1;
    /** Calls {@link SessionObserver#onResponse}. */
    public static final int RESPONSES = 1 << 2;
    /**
     * Calls {@link SessionObserver#beforeCommand} and {@link SessionObserver#chooseVariables}, and makes the
     * statement's text available as {@link #STATEMENTS} does.
     */
    public static final int BOUNDARY = 1 << 3;
    /**
     * Fills {@link ResponseView#gtid}; the proxy then requests the GTIDs of commits from the server. Has an effect only
     * if {@link ProxyPlugin#possibleInterests} has it too.
     */
    public static final int GTIDS = 1 << 4;

    /** Has {@link CommandView#watchRows} show rows; without it no row is looked into. */
    public static final int ROWS = 1 << 5;

    public static final int NONE = 0;

    private Interest() {}
}
