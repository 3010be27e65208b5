package io.understudy.wire;

/** Renumbers packets. */
public interface PacketNumbering {
    /** Keeps the numbers. The scanner recognises it, and neither calls it nor writes. */
    PacketNumbering UNCHANGED = came -> came;

    /**
     * Returns the new number of a physical packet received as number {@code came}. Called once for each packet, in
     * order.
     */
    int number(int came);
}
