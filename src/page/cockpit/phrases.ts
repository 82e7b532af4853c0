/** Sentences of the daemon, reasons and outcomes, in the language of the page. One that is not listed stays as the daemon said it. */
const pairsOf = (table: string) =>
  table
    .trim()
    .split(/\n| · /)
    .map((pair) => {
      const [en = '', vi = ''] = pair.split(' | ');
      return [en, vi] as const;
    });

/** `{}` stands for figures, or for what is translated in turn; `<>` for words of the broker or of a person, which may stay. */
export const PHRASES = pairsOf(`
by the page | từ trang này · entries are off | đã ngừng mở vị thế
entries are off until tickwright resume | đã ngừng mở vị thế cho đến khi bấm Tiếp tục
entries are allowed again, as far as limits and risk allow them | được mở vị thế lại, trong hạn mức và rủi ro cho phép
the loss of the day of {} VND is accepted, and the limit is measured from there | chấp nhận khoản lỗ trong ngày {} VND, hạn mức tính lại từ đó
nothing was halted: entries were allowed already, as far as limits and risk allow them | không có gì bị ngừng: đã được mở vị thế từ trước
entries stay off: the journal cannot take the resume: <> | vẫn ngừng mở vị thế: nhật ký không ghi được lệnh tiếp tục: <>
{} to be closed | đang đóng {} · all positions are | tất cả vị thế · the position of <> is | vị thế của <>
entries of <> are off until tickwright resume --strategy <> | đã ngừng mở vị thế của <> cho đến khi bấm Tiếp tục
stopping: orders and positions as configured under stop | đang dừng: lệnh và vị thế xử lý theo cấu hình stop
connecting again | đang kết nối lại · connected already | đã kết nối
there is no token: <> | không có token: <> · nothing waited | không có cảnh báo nào chờ
no session is open yet | chưa có phiên · no session is open | chưa có phiên
there is no open order {}: see tickwright orders | không có lệnh chờ {}
taken, but the engine does not answer yet; tickwright halt works meanwhile | đã nhận, nhưng bộ xử lý chưa trả lời; nút Ngừng vẫn có tác dụng
the daemon waits for a one-time password: <> | chương trình đang chờ mật khẩu một lần (OTP)
no answer yet: tickwright status shows whether there is a token | chưa có trả lời: xem mục Token
a new token is in use, valid until {}; {} of {} exchanges of the day are used | token mới đang dùng, có hiệu lực đến {}; đã dùng {}/{} lần đổi trong ngày
all {} exchanges of the day are used: no new token before tomorrow | đã dùng hết {} lần đổi trong ngày: ngày mai mới có token mới
the journal cannot be written | không ghi được nhật ký · the engine does not answer | bộ xử lý không trả lời
the engine has not answered yet | bộ xử lý chưa trả lời · the price stream is {} | luồng giá: {}
waiting | chờ kết nối lại · connecting | đang kết nối · paused | tạm dừng
the account's loss of the day, {}, has reached {} (risk.dailyLossMax) | lỗ trong ngày của tài khoản, {}, đã chạm {} (risk.dailyLossMax)
the account's loss of the day, {} since the resume (day: {}), has reached {} (risk.dailyLossMax) | lỗ của tài khoản từ lúc bấm Tiếp tục, {} (cả ngày: {}), đã chạm {} (risk.dailyLossMax)
its loss of the day, {} since the resume (day: {}), has reached {} (strategies[].risk.dailyLossMax) | lỗ của chiến lược từ lúc bấm Tiếp tục, {} (cả ngày: {}), đã chạm {} (strategies[].risk.dailyLossMax)
its loss of the day, {}, has reached {} (strategies[].risk.dailyLossMax) | lỗ trong ngày của chiến lược, {}, đã chạm {} (strategies[].risk.dailyLossMax)
the journal could not be written: <> | không ghi được nhật ký: <>
no prices come | không có giá mới · there is no token | không có token
positions are not proven: <> | vị thế chưa được xác nhận: <>
stops are not proven: <> | lệnh dừng chưa được xác nhận: <>
money differs from the broker’s | tiền lệch với công ty chứng khoán
no channel delivers: messages reach nobody | không kênh nào gửi được: tin nhắn không đến ai
the channel <> fails: <> | kênh <> bị lỗi: <> · flattening <>: {} | đang đóng <>: {}
stop: {} | đang dừng: {} · working | đang thực hiện · reading | đang đọc vị thế · withdrawing | đang rút lệnh
checking | đang kiểm tra · repricing | đang đổi giá · pausing | tạm nghỉ · queued | chờ phiên
resting | chờ khớp lệnh định kỳ · given_up | không đóng được · closing | đang đóng · canceling | đang hủy
next {} | tới: {} · last {} | vừa qua: {} · none yet | chưa có · none | không có · at its time | đúng giờ · caught up by a check | chạy bù sau khi kiểm tra
session open {} | mở phiên {} · session close {} | đóng phiên {} · token refresh {} | đổi token {}
rollover {} | chuyển kỳ hạn {} · backup and report {} | báo cáo và sao lưu {}
{} the strategy's position limit: <> | {} hạn mức vị thế của chiến lược: <>
{} the account's position limit: <> | {} hạn mức vị thế của tài khoản: <>
{} too many open orders: <> | {} quá nhiều lệnh chờ: <>
{} too many orders in a short time: <> | {} quá nhiều lệnh trong thời gian ngắn: <>
{} the quantity is above the limit of one order: <> | {} khối lượng vượt hạn mức một lệnh: <>
{} the price is outside the day's band (<>) | {} giá ngoài biên độ ngày (<>)
{} the price is too far from the last trade: <> | {} giá quá xa giá khớp gần nhất: <>
{} the market does not take this order in this phase; entries in an auction need <> | {} phiên này không nhận lệnh này; mở vị thế trong khớp lệnh định kỳ cần <>
{} the last price is too old: <> | {} giá gần nhất đã quá cũ: <>
{} prices do not come in: entries wait for the stream (<>) | {} không có giá: chờ luồng giá để mở vị thế (<>)
{} positions are not proven against the broker (<>) | {} vị thế chưa được công ty chứng khoán xác nhận (<>)
{} the day's loss limit is reached: <> | {} đã chạm hạn mức lỗ trong ngày: <>
{} the margin does not suffice: <> | {} không đủ ký quỹ: <>
{} it would trade with an order of ours: cancel that one first, or take another price (<>) | {} sẽ khớp với lệnh của chính ta: hủy lệnh đó trước, hoặc chọn giá khác (<>)
{} entries are halted until a resume (<>) | {} đã ngừng mở vị thế cho đến khi bấm Tiếp tục (<>)
{} positions are being closed, no new entries: <> | {} đang đóng vị thế, không mở mới: <>
{} the strategy is stopped until it is started again (<>) | {} chiến lược đã dừng cho đến khi chạy lại (<>)
{} buy {} at {} ({}) | {} mua {} giá {} ({}) · {} sell {} at {} ({}) | {} bán {} giá {} ({})
{} buy {} at {} | {} mua {} giá {} · {} sell {} at {} | {} bán {} giá {} · when the price {} | khi giá {}
falls to {} | giảm đến {} · rises to {} | tăng đến {}
trailing by {} ticks from {} on | trượt {} bước giá từ {} · stop-loss {} | cắt lỗ {}
take-profit {} | chốt lời {} · entry | mở vị thế · reduce | giảm vị thế
{} at the broker for its trigger | {} chờ kích hoạt tại công ty chứng khoán
{} trigger reached, the broker is sending its order | {} đã chạm giá kích hoạt, công ty chứng khoán đang gửi lệnh
{} the broker sent its order | {} công ty chứng khoán đã gửi lệnh
{} partly filled | {} khớp một phần · {} with the day: <> | {} hết hiệu lực theo ngày: <>
{} with the day | {} hết hiệu lực theo ngày · {} as asked | {} đúng như yêu cầu
{} by the broker: <> | {} bởi công ty chứng khoán: <> · {} to the trigger {} | {} sang giá kích hoạt {}
{} in all | tổng cộng {} · {} no answer: <> | {} không có trả lời: <> · being looked up | đang tra cứu
still counted | vẫn tính vào rủi ro · positions differ: {} | vị thế lệch: {}
our positions are the broker’s | vị thế khớp với công ty chứng khoán
our money of the day is the broker’s | tiền trong ngày khớp với công ty chứng khoán
money differs: {} | tiền lệch: {} · {} ours {} | {} của ta {} · ours {} | của ta {}
broker {} | công ty chứng khoán {} · trading day {} | ngày giao dịch {} · closed | đóng cửa
opening auction | khớp lệnh định kỳ mở cửa (ATO) · continuous | khớp lệnh liên tục · break | nghỉ trưa
closing auction | khớp lệnh định kỳ đóng cửa (ATC) · the strategy runs | chiến lược đang chạy
{} of trades missed | mất {} khớp lệnh · {} contracts | {} hợp đồng · fee | phí · tax | thuế · profit | lãi lỗ
{} are off {}: <> | đã ngừng {} {}: <> · until you resume it | cho đến khi bấm Tiếp tục cho nó
until you resume | cho đến khi bấm Tiếp tục · {} are on again: <> | {} được phép lại: <>
entries of this strategy | mở vị thế của chiến lược này · entries | mở vị thế
taken over from the account | nhận từ tài khoản · settled in cash at the expiry | thanh toán tiền khi đáo hạn
closed by the broker | bị công ty chứng khoán đóng
carried over from the last session | chuyển từ phiên trước · {} no. {} | {} số {} · no. {} | số {}
avg {} | TB {} · {} (estimated) | {} (ước tính) · {} (seen in the book) | {} (thấy trong sổ lệnh)
{} (resolved by the operator) | {} (do người vận hành xác nhận)
{} to {} at {} | {} thành {} giá {}
{} {} rejected by the broker: <> | {} {} bị công ty chứng khoán từ chối: <>
{} {} was not sent: <> | {} {} chưa gửi: <>
{} {} has no answer: <>; looked up in the book | {} {} không có trả lời: <>; đang tra cứu trong sổ lệnh
{} is {} again, the {} came to nothing: <> | {} trở lại {}, {} không thành: <>
partially filled | khớp một phần · pending trigger | chờ kích hoạt
{} not in the book: <> | {} không có trong sổ lệnh: <> · {} not in the book | {} không có trong sổ lệnh
{} the day ended before it was proven | {} hết ngày mà chưa xác nhận được
{} at {}, value {}: {} | {} giá {}, giá trị {}: {} · {} ticks | {} bước giá · {}, by <>: <> | {}, bởi <>: <>
halt | ngừng mở vị thế · resume | tiếp tục · cancel all | hủy tất cả · ready to stop: <> | sẵn sàng dừng: <>
`);

/** Words that begin a line of the journal. */
export const WORDS: ReadonlyMap<string, string> = new Map(
  pairsOf(`
denied | bị chặn · placed | đặt lệnh · change | sửa lệnh · changed | đã sửa · cancel | hủy lệnh
canceled | đã hủy · accepted | được nhận · waits | chờ · triggers | kích hoạt · triggered | đã kích hoạt
working | còn hiệu lực · filled | khớp · complete | khớp hết · corrected | đính chính · rejected | bị từ chối
refused | bị từ chối · not sent | chưa gửi · remains | giữ nguyên · unknown | chưa rõ · absent | không thấy
expired | hết hạn · unproven | chưa rõ · adopted | nhận sổ · agreed | khớp sổ · cash | tiền · position | vị thế
phase | phiên · gap | mất giá · command | điều khiển · started | bắt đầu · stopped | đã dừng · stop | dừng
fault | lỗi · note | ghi chú · info | tin · HALTED | NGỪNG · RESUMED | TIẾP TỤC · MISMATCH | LỆCH
WARNING | CẢNH BÁO · CRITICAL | NGHIÊM TRỌNG
`),
);

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const HOLES = /\{\}|<>/g;

const PATTERNS = PHRASES.map(([en, vi]) => ({
  pattern: new RegExp(`^${en.split(HOLES).map(escaped).join('(.+?)')}$`),
  holes: en.match(HOLES) ?? [],
  vi,
}));

/** A part of a sentence, or null where a word of it is not listed: half a sentence helps nobody. */
function translated(text: string): string | null {
  if (!/[a-z]{2}/.test(text)) return text;
  for (const { pattern, holes, vi } of PATTERNS) {
    const [whole, ...parts] = pattern.exec(text) ?? [];
    if (whole === undefined) continue;
    const words = parts.map((part, at) => translated(part) ?? (holes[at] === '<>' ? part : null));
    if (!words.includes(null)) return vi.replaceAll(HOLES, () => words.shift() ?? '');
  }
  const between = ['; ', ', '].find((each) => text.includes(each));
  if (between === undefined) return WORDS.get(text) ?? null;
  const words = text.split(between).map(translated);
  return words.includes(null) ? null : words.join(between);
}

/** Wholly in Vietnamese, or as it was. */
export const vietnamese = (text: string): string => translated(text) ?? text;

/** A line of the journal whose word and text speak one language; what a strategy notes is its own. */
export function vietnameseLine(word: string, text: string) {
  const localized = word === 'note' ? text : translated(text);
  return localized === null ? { word, text } : { word: WORDS.get(word) ?? word, text: localized };
}
