/** The records of a small ship chandler, as constants, since a Worker retains no data between requests. */

export interface Customer {
  readonly customerId: string;
  readonly name: string;
  readonly email: string;
  readonly city: string;
}

export interface Order {
  readonly orderId: number;
  readonly customerId: string;
  readonly items: readonly { readonly item: string; readonly quantity: number }[];
  /** In euros. */
  readonly total: number;
  readonly status: 'packing' | 'shipped' | 'delivered' | 'cancelled';
  /** `null` until the order is shipped. */
  readonly trackingCode: string | null;
}

/** A shipment, as its carrier reports it. */
export interface Shipment {
  readonly trackingCode: string;
  readonly carrier: string;
  readonly location: string;
  readonly expectedDate: string;
}

interface Section {
  readonly title: string;
  readonly text: string;
}

const indexByKey = <Key, Item>(items: readonly Item[], key: (item: Item) => Key): ReadonlyMap<Key, Item> =>
  new Map(items.map((item) => [key(item), item]));

export const customers: ReadonlyMap<string, Customer> = indexByKey<string, Customer>(
  [
    { customerId: 'C-11', name: 'Maren Holt', email: 'maren@example.com', city: 'Bergen' },
    { customerId: 'C-12', name: 'Iker Sola', email: 'iker@example.com', city: 'Getaria' },
    { customerId: 'C-13', name: 'Ada Quist', email: 'ada@example.com', city: 'Aarhus' },
  ],
  ({ customerId }) => customerId,
);

export const orders: ReadonlyMap<number, Order> = indexByKey<number, Order>(
  [
    {
      orderId: 1001,
      customerId: 'C-11',
      items: [{ item: 'Brass hand compass', quantity: 1 }],
      total: 64,
      status: 'delivered',
      trackingCode: 'KC-7001',
    },
    {
      orderId: 1002,
      customerId: 'C-12',
      items: [
        { item: 'Mooring line, 20 m', quantity: 2 },
        { item: 'Storm lantern', quantity: 1 },
      ],
      total: 118.5,
      status: 'shipped',
      trackingCode: 'KC-7002',
    },
    {
      orderId: 1003,
      customerId: 'C-13',
      items: [{ item: 'Oilskin jacket', quantity: 1 }],
      total: 149,
      status: 'delivered',
      trackingCode: 'KC-7003',
    },
    {
      orderId: 1004,
      customerId: 'C-11',
      items: [{ item: 'Tide tables', quantity: 3 }],
      total: 27,
      status: 'packing',
      trackingCode: null,
    },
    {
      orderId: 1005,
      customerId: 'C-13',
      items: [{ item: 'Folding anchor, 6 kg', quantity: 1 }],
      total: 82,
      status: 'shipped',
      trackingCode: 'KC-7005',
    },
  ],
  ({ orderId }) => orderId,
);

export const shipments: ReadonlyMap<string, Shipment> = indexByKey<string, Shipment>(
  [
    {
      trackingCode: 'KC-7001',
      carrier: 'Fjordpost',
      location: 'Bergen, front door',
      expectedDate: '2026-11-02',
    },
    { trackingCode: 'KC-7002', carrier: 'Norderline', location: 'Bilbao depot', expectedDate: '2026-11-24' },
    {
      trackingCode: 'KC-7003',
      carrier: 'Fjordpost',
      location: 'Aarhus, pickup shop',
      expectedDate: '2026-11-09',
    },
    {
      trackingCode: 'KC-7005',
      carrier: 'Norderline',
      location: 'Hamburg harbor',
      expectedDate: '2026-11-26',
    },
  ],
  ({ trackingCode }) => trackingCode,
);

export const policy: readonly Section[] = [
  {
    title: 'Returns',
    text: 'Unused goods may come back within 60 days. Cut rope and opened flares may not.',
  },
  {
    title: 'Refunds',
    text: 'An order is refunded once, in full, to the account that paid for it, within five working days.',
  },
  {
    title: 'Delivery',
    text: 'Parcels leave the house within two working days. A note for the carrier can be changed until delivery.',
  },
  { title: 'Privacy', text: 'We speak about an order only with the customer who placed it.' },
];
