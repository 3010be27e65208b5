package io.understudy.wire;

/** Renumbers packets. */
public interface PacketNumbering {
    /**
     * Returns the new number of a physical packet received as number {@code came}. Called once for each packet, in
     * order.
     */
    int number(int came);
}
