package io.understudy.plugins.blackbox.reset;

/**
 * What a server says of what its replication receives.
 *
 * @param received up to where it has received; empty if it does not say
 * @param refused whether the primary refuses to send, as it lacks what the server has or needs (error 1236)
 * @param receives whether it was seen to receive something although the primary does not respond to the proxy, or has
 *     begun its numbers anew
 */
public record Receipt(String received, boolean refused, boolean receives) {
    public static final Receipt UNKNOWN = new Receipt("", false, false);

    /** Returns whether nothing is sent to it, if the primary does not respond to the proxy either. */
    boolean isNothing() {
        return !received.isEmpty() && !receives;
    }
}
