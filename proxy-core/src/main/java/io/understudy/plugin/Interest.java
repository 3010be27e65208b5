package io.understudy.plugin;

/** What an observer wants to be called for, asked once per session. What nobody wants is not read. */
public final class Interest {
    /** {@link SessionObserver#onCommand}. */
    public static final int COMMANDS = 1;
    /** Statement text in {@link CommandView}: its kind, summary, text and packet. */
    public static final int STATEMENTS = 1 << 1;
    /** {@link SessionObserver#onResponse}. */
    public static final int RESPONSES = 1 << 2;
    /** {@link SessionObserver#beforeCommand}. */
    public static final int BOUNDARY = 1 << 3;
    /** GTIDs of commits in {@link ResponseView#gtid}; makes the proxy ask the server to send them. */
    public static final int GTIDS = 1 << 4;

    public static final int NONE = 0;

    private Interest() {}
}
